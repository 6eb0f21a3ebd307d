"""What Pullback needs beside JAX: marks of derivatives that survive an export."""

from pullback.marks import checkpoint, custom_jvp, custom_vjp, stop_gradient

__all__ = ["checkpoint", "custom_jvp", "custom_vjp", "stop_gradient"]
