"""One Ray for the tests of this folder: it ends behind the last of them."""
