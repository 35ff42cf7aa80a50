"""What can go wrong in a report through somebody else's doing."""


class TemplateFaultError(ValueError):
    """A user's template does not load or render; the message says which one, where and why."""
