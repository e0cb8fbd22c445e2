import { Status } from '#app/ui/status-icon.tsx';

/** Whether a second factor is on. */
export const SecondFactorStatus = ({ on }: { on: boolean }) => (
  <Status status={on ? 'online' : 'idle'} word={on ? 'on' : 'off'} />
);
