/** Where a pin comes from. */
export const PIN_SOURCES = ['registration', 'first_use', 'rotation'] as const;
export type PinSource = (typeof PIN_SOURCES)[number];
