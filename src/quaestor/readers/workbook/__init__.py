"""Reader of workbooks (XLSX): displayed texts and exact values of cells."""
