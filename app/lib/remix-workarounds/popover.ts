/**
 * The attributes of a popover and of the button that opens it, which need no script. React 18 passes them on, but its
 * types do not know them. React 19 has `popover` and `popoverTarget`: then they are written as such.
 */
export const POPOVER: object = { popover: 'auto' };

/** @param id of the popover */
export const popoverTarget = (id: string): object => ({ popovertarget: id });
