"""The parts of TimesNet that are computed otherwise than written in the paper."""

import pytest

torch = pytest.importorskip("torch")

from paiad.detectors.timesnet import Inception, TimesNet, convolved  # noqa: E402


def test_one_convolution_equals_the_mean_of_all() -> None:
    torch.manual_seed(0)
    inception = Inception(3, 4, 4)
    for kernel in inception.kernels:
        torch.nn.init.normal_(kernel.bias)
    image = torch.randn(2, 3, 5, 9)
    expected = torch.stack([kernel(image) for kernel in inception.kernels]).mean(dim=0)
    torch.testing.assert_close(convolved(image, inception.joined()), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("parity", "depends"), [("none", False), ("published", True)])
def test_a_score_depends_on_its_batch_only_as_published(parity: str, depends: bool) -> None:
    recipe = TimesNet(parity=parity)  # type: ignore[arg-type]
    torch.manual_seed(0)
    network = recipe.network()
    network.embed[0].places.zero_()  # so that the spectrum is that of the values
    steps = torch.arange(32.0)
    slow, fast = torch.sin(steps * 0.8)[None], torch.sin(steps * 1.8)[None]  # no strong period in common
    with torch.no_grad():
        network.train()
        network(torch.cat((slow, fast)))
        network.eval()
        alone, together = network(slow), network(torch.cat((slow, fast.repeat(60, 1))))[:1]
    assert (not torch.allclose(alone, together, atol=1e-4)) == depends
