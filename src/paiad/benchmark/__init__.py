"""The benchmark: suites of detectors over labelled series, resumable, on one core or on a cluster.

suite (what) ──▶ jobs (one recipe, one series, one seed) ──executors──▶ store ──▶ tables, figures, page
"""
