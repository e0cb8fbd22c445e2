/** The shape of a peer's id. Whether it is that of an Ed25519 key, `keyOfPeerId` tells. */
export const PEER_ID_PATTERN = /^12D3Koo[1-9A-HJ-NP-Za-km-z]{45}$/;
