import { useEffect, useRef, useState } from 'react';
import styles from './near-image.module.css';

interface NearImageProps {
  src: string;
  alt: string;
  width?: number;
  height: number;
  className?: string | undefined;
  /** What the link says that is in its place. */
  link: string;
}

/** How near to the window a picture loads. */
const NEAR = '200px';

/**
 * A picture that loads once it is near the window: `loading="lazy"` begins a thousand pixels and more before. Until
 * then, and without scripts, a link is in its place.
 */
export function NearImage({ link, className, ...image }: NearImageProps) {
  const place = useRef<HTMLAnchorElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (near || !place.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: NEAR },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [near]);
  // A crawler has no use for it: each state of a badge has an address of its own.
  return (
    <a ref={place} className={styles.place} href={image.src} rel="nofollow">
      {near ? <img className={className} {...image} /> : link}
    </a>
  );
}
