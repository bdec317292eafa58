"""Files of controls, one a service, in; the controls themselves out, checked and ready to look up."""

from footnoted.assistants.security.catalogue.control import FRAMEWORKS, SEVERITIES, Control
from footnoted.assistants.security.catalogue.load import load_catalogue, read_controls

__all__ = ["FRAMEWORKS", "SEVERITIES", "Control", "load_catalogue", "read_controls"]
