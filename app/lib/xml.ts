const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for XML and HTML, between tags and in quoted attributes. */
export const escapeXml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
