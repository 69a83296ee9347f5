"""A report of one file: numbers, pictures and words that public methods give."""
