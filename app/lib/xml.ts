const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as it may stand in XML and HTML, between tags and in quotes. */
export const escapeXml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
