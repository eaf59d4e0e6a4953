"""When the embedded solver answers a person that the page does not say: certain cases, by rule."""
