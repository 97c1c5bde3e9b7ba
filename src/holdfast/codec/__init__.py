"""Values to bytes and back: exact, deterministic, and never by running code that the data names."""

from holdfast.codec.codec import Codec
from holdfast.codec.opaque import Opaque
from holdfast.codec.registry import Handler, Unstorable, register
from holdfast.codec.slots import slots_class
from holdfast.codec.state import channels_of, state_from

__all__ = ["Codec", "Handler", "Opaque", "Unstorable", "channels_of", "register", "slots_class", "state_from"]
