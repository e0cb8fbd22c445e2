import { Link } from '@remix-run/react';
import { useEffect, useId, useState } from 'react';
import {
  forgetRegistration,
  ownRegistrations,
  type OwnRegistration,
} from './saved-registrations.ts';

/** The way back to registrations that were started or opened in this browser. */
export function OwnRegistrations() {
  const id = useId();
  const [own, setOwn] = useState<OwnRegistration[]>([]);
  useEffect(() => setOwn(ownRegistrations()), []);
  if (own.length === 0) return null;
  return (
    <section className="own-registrations" aria-labelledby={id}>
      <h2 id={id}>Your registrations on this device</h2>
      <ul>
        {own.map((one) => (
          <li key={one.id}>
            <Link to={`/register/${one.id}`}>{one.name}</Link>
            <button
              type="button"
              className="link"
              onClick={() => setOwn(forgetRegistration(one.id))}
            >
              Forget<span className="visually-hidden"> {one.name}</span>
            </button>
          </li>
        ))}
      </ul>
      <p className="secondary">Kept in this browser only. Forgetting ends no registration.</p>
    </section>
  );
}
