"""What practice asks for: gaps, net benefit, early recognition, calibration, means of queries."""
