// Markdown that is longer than GitHub takes.

/** Ends a picture, which is preformatted. */
const END_OF_PICTURE = '\n</pre>';

/** The text, cut between two lines and with a note where it has more characters than this. A picture that is open there is closed. */
export function truncated(markdown, length, note) {
  if (markdown.length <= length) return markdown;
  const end = `\n\n… ${note}\n`;
  const cut = markdown.slice(0, markdown.lastIndexOf('\n', length - end.length - END_OF_PICTURE.length));
  const lines = cut.split('\n');
  const isOpen = lines.lastIndexOf('<pre>') > lines.lastIndexOf('</pre>');
  return `${cut}${isOpen ? END_OF_PICTURE : ''}${end}`;
}
