"""Pictures for print: specifications by Altair, drawn by vl-convert without a browser or a network. No tables
here. Both take a second to import, so only functions import them."""
