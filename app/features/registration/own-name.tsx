import { Link } from '@remix-run/react';
import { useEffect, useState } from 'react';
import { ownRegistrations, type OwnRegistration } from './saved-registrations.ts';

/** Whoever comes back to a name that they registered themselves is led to it, not only told that it is taken. */
export function OwnName({ name }: { name: string | null }) {
  const [own, setOwn] = useState<OwnRegistration>();
  useEffect(() => setOwn(ownRegistrations().find((one) => one.name === name)), [name]);
  return (
    <p className="own-name" aria-live="polite">
      {own && own.name === name && (
        <>
          You registered {own.name} on this device:{' '}
          <Link to={`/register/${own.id}`}>go on with it</Link>.
        </>
      )}
    </p>
  );
}
