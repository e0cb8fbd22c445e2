import { Link as RemixLink, type LinkProps } from '@remix-run/react';
import { forwardRef } from 'react';

/**
 * A link that crawlers don't follow if it has a query: filters, pages of a list and selected nodes make thousands of URLs out
 * of one page, and have nothing that the page doesn't lead to otherwise.
 */
export const Link = forwardRef<HTMLAnchorElement, LinkProps>(function Link(props, ref) {
  const isChoice = typeof props.to === 'string' && props.to.includes('?');
  // Routes are all known, so no link needs the mark by which Remix would find them.
  return <RemixLink discover="none" {...(isChoice && { rel: 'nofollow' })} {...props} ref={ref} />;
});
