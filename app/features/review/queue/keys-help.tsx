import { useId, type RefObject } from 'react';
import { useKeysSwitch } from './key.tsx';
import { KEYS } from './use-keys.ts';

/** Which keys there are, and the switch for them. Opened by `showModal()`. */
export function KeysHelp({ dialog }: { dialog: RefObject<HTMLDialogElement> }) {
  const id = useId();
  const [on, set] = useKeysSwitch();
  return (
    <dialog ref={dialog} className="keys-help card" aria-labelledby={id}>
      <h2 id={id}>Keys</h2>
      <dl>
        {KEYS.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label className="phrase">
        <input type="checkbox" checked={on} onChange={({ target }) => set(target.checked)} />
        Use these keys on this device
      </label>
      <form method="dialog">
        <button className="button">Close</button>
      </form>
    </dialog>
  );
}
