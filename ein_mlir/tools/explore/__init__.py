"""The parts of `ein-explore`: runs of pipelines, programs in files, the server, the page."""
