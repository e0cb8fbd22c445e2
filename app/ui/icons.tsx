/** Signs beside words, so that screen readers skip them. */

interface LineIconProps {
  /** Its strokes, within 20 × 20. */
  path: string;
  /** Width and height, px. */
  size?: number;
}

export const LineIcon = ({ path, size = 16 }: LineIconProps) => (
  <svg viewBox="0 0 20 20" width={size} height={size} aria-hidden>
    <path
      d={path}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
);

const icon = (path: string) =>
  function Icon() {
    return <LineIcon path={path} />;
  };

export const MapIcon = icon('M3 5l5 -2l4 2l5 -2v12l-5 2l-4 -2l-5 2ZM8 3v12M12 5v12');
export const FeedIcon = icon('M4.5 4.5a11 11 0 0 1 11 11M4.5 9.5a6 6 0 0 1 6 6M4.8 15.2h.4');
export const CodeIcon = icon('M7 6l-4 4l4 4M13 6l4 4l-4 4');
export const DownloadIcon = icon('M10 3v10M5.5 9l4.5 4.5L14.5 9M4 17h12');
export const CopyIcon = icon('M7 7h9v9H7ZM13 7V4H4v9h3');
export const InfoIcon = icon('M10 3a7 7 0 1 1 0 14a7 7 0 1 1 0 -14M10 9.2v4.4M10 6.3v.3');
export const DoneIcon = icon('M4 10.5l4 4l8 -9');
export const EndedIcon = icon('M5 5l10 10M15 5L5 15');
export const WarningIcon = icon('M10 3l7.5 13.5h-15ZM10 8v4M10 14.2v.3');
