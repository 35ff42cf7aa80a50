"""What a deployment shows of itself to somebody who may only read: its mix, its skew, its shape. Pure."""
