import type { QrCode } from '#app/lib/qr.server.ts';
import styles from './qr-image.module.css';

/** A QR code: black on white in both themes, or cameras do not read it. */
export function QrImage({ qr: { size, path }, label }: { qr: QrCode; label: string }) {
  return (
    <svg
      className={styles.image}
      viewBox={`0 0 ${size} ${size}`}
      width="200"
      height="200"
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
