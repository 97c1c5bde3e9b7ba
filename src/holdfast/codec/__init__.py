"""Values to bytes and back: exact, deterministic, and never by running code that the data names.

`codec.py` is the entrance. `wire.py` has the bytes, `handler.py` the table of types and tags, `handlers/` a module for
each group of types, `families/` one for each way of making classes; `lookup/` finds a class by its stored name.
"""

from holdfast.codec.codec import Codec
from holdfast.codec.families.slots_classes import slots_class
from holdfast.codec.handler import Handler, Unstorable, register
from holdfast.codec.opaque import Opaque
from holdfast.codec.state import channels_of, state_from

__all__ = ["Codec", "Handler", "Opaque", "Unstorable", "channels_of", "register", "slots_class", "state_from"]
