/** Largest body of a rotation, bytes. */
export const KEY_BODY_BYTES = 8192;

/** Where a pin comes from. */
export const PIN_SOURCES = ['registration', 'first_use', 'rotation'] as const;
export type PinSource = (typeof PIN_SOURCES)[number];
