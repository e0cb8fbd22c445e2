import button from './button.module.css';
import { FeedIcon } from './icons.tsx';

/** A feed of one thing, for a reader of feeds. */
export const FollowLink = ({ href }: { href: string }) => (
  <a className={button.button} href={href} type="application/atom+xml" title="Atom feed">
    <FeedIcon />
    Follow
  </a>
);
