/** The list that this browser could not store, as text; null if it could. It lasts as long as the page. */
export const unsaved: { text: string | null } = { text: null };
