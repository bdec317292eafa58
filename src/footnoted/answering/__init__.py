"""The hall: everything meets here. `stream_answer` is the river; `GroundedGenerator` its door."""
