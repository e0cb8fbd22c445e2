import { useEffect, useState } from 'react';

/** "Trying again in 4 s." @param to a moment by this device's clock (ms); null: now */
export function Countdown({ to }: { to: number | null }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const seconds = to === null ? 0 : Math.ceil((to - now) / 1000);
  return seconds > 0 ? `Trying again in ${seconds} s.` : 'Trying again now.';
}
