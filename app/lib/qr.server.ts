import encodeQR from 'qr';

/** Light modules around the code, as the standard asks for. */
const QUIET = 4;

export interface QrCode {
  /** Modules on each side, with the quiet zone. */
  size: number;
  /** The dark modules: an SVG path in units of modules. */
  path: string;
}

/** A QR code as a shape: a page draws it without a style, a script or another request. */
export function qrCode(text: string): QrCode {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET });
  let path = '';
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      const from = x;
      while (row[x + 1]) x++;
      path += `M${from} ${y}h${x + 1 - from}v1h-${x + 1 - from}z`;
    }
  });
  return { size: rows.length, path };
}
