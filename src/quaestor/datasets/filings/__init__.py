"""Questions about whole documents: files of questions that name the documents, which lie in a folder."""
