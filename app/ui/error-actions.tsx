import { Link, useLocation } from '@remix-run/react';

interface Way {
  to: string;
  text: string;
}

/** Where to go from an error: the same address once more where that may help, else the first of the ways. */
export function WaysOut({ again, ways }: { again: boolean; ways: Way[] }) {
  const { pathname, search } = useLocation();
  return (
    <ul className="chips">
      {again && (
        <li>
          <Link className="button primary" to={pathname + search} reloadDocument>
            Try again
          </Link>
        </li>
      )}
      {ways.map(({ to, text }, i) => (
        <li key={to}>
          <Link className={i === 0 && !again ? 'button primary' : 'button'} to={to}>
            {text}
          </Link>
        </li>
      ))}
    </ul>
  );
}
