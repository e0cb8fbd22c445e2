/** Signs beside words, so that screen readers skip them. */

interface LineIconProps {
  /** Its strokes, within 20 × 20. */
  path: string;
  /** Width and height, px. */
  size?: number;
  className?: string | undefined;
}

export const LineIcon = ({ path, size = 16, className }: LineIconProps) => (
  <svg className={className} viewBox="0 0 20 20" width={size} height={size} aria-hidden>
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
  function Icon({ className }: { className?: string | undefined }) {
    return <LineIcon path={path} className={className} />;
  };

export const MapIcon = icon('M3 5l5 -2l4 2l5 -2v12l-5 2l-4 -2l-5 2ZM8 3v12M12 5v12');
export const FeedIcon = icon('M4.5 4.5a11 11 0 0 1 11 11M4.5 9.5a6 6 0 0 1 6 6M4.8 15.2h.4');
export const CodeIcon = icon('M7 6l-4 4l4 4M13 6l4 4l-4 4');
export const DownloadIcon = icon('M10 3v10M5.5 9l4.5 4.5L14.5 9M4 17h12');
export const CopyIcon = icon('M7 7h9v9H7ZM13 7V4H4v9h3');
export const InfoIcon = icon('M10 3a7 7 0 1 1 0 14a7 7 0 1 1 0 -14M10 9.2v4.4M10 6.3v.3');
export const DoneIcon = icon('M4 10.5l4 4l8 -9');
export const BackIcon = icon('M12 5l-5 5l5 5');
export const EndedIcon = icon('M5 5l10 10M15 5L5 15');
export const WarningIcon = icon('M10 3l7.5 13.5h-15ZM10 8v4M10 14.2v.3');
export const ChevronIcon = icon('M8 5l5 5l-5 5');
export const FileIcon = icon('M4 3.5h10l2.5 2.5v10.5h-12.5ZM7 3.5v4h5.5v-4M7 16.5v-5h6.5v5');
export const ShareIcon = icon('M17 3L3 8.6l5.6 2.4L11 17ZM17 3l-8.4 8');
export const OpenIcon = icon('M8 4H4v12h12v-4M11 4h5v5M16 4l-7 7');
export const ProofIcon = icon(
  'M10 3l6 2.5v4c0 4 -2.6 6.3 -6 7.5c-3.4 -1.2 -6 -3.5 -6 -7.5v-4ZM7.2 10l2 2l3.6 -4',
);
export const EditIcon = icon('M4 16l.8 -3.4L13.4 4l2.6 2.6L7.4 15.2ZM11.6 5.8l2.6 2.6');
export const BellIcon = icon('M5 14V9a5 5 0 0 1 10 0v5l1.5 1.5h-13ZM8.5 17.5h3');
export const RemoveIcon = icon('M4 6h12M8 6V3.8h4V6M5.5 6l.8 11h7.4l.8 -11');
export const ClockIcon = icon('M10 3a7 7 0 1 1 0 14a7 7 0 1 1 0 -14M10 6v4l3 2');
