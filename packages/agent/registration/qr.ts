import encodeQR from 'qr';

const WHITE_ON_BLACK = '\x1b[97;40m';
const RESET = '\x1b[0m';

/**
 * A QR code for a terminal: its light modules are drawn, its dark ones are left out.
 * @param coloured makes that right in light terminals too
 */
export function terminalQr(text: string, coloured: boolean): string[] {
  const lines = encodeQR(text, 'ascii', { ecc: 'low', border: 2 }).trimEnd().split('\n');
  return coloured ? lines.map((line) => `${WHITE_ON_BLACK}${line}${RESET}`) : lines;
}
