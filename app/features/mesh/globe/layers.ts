/** The canvases of the globe, the lowest first. The sphere and its shade stay as they are while the globe turns. */
export const LAYERS = ['sphere', 'land and places', 'shade', 'pulses'] as const;

/** Markers fade over the last 8 degrees before the edge. */
export const FADE = Math.sin((8 * Math.PI) / 180);

/** Most pulses at a time: a few show that the network is alive. A welcome has a text, so there are fewer. */
export const PULSES_MOST = { heartbeat: 8, welcome: 2 };
/** How long each lasts, ms. */
export const PULSE_LASTS = { heartbeat: 1200, welcome: 4000 };
