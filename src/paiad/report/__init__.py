"""What was found, for people: a page to look at, a picture, and the files that other programs read."""
