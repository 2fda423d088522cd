"""A study on many machines: Ray places workers, which run chunks of its debates."""
