import * as L from './leaflet.client.ts';
import type { Peer } from '#server/mesh/mesh.schema.ts';
import type { Listener, MeshStore } from '#app/features/live/live-store.ts';
import { statusColor } from '#app/ui/status-icon.tsx';
import type { LatLng } from './markers.ts';
import styles from './pulse.module.css';

/** Most pulses at a time. A large network has hundreds of heartbeats a second; a few show that it is alive. */
const PULSES = 8;
/** Most welcomes at a time, because their texts would overlap. */
const WELCOMES = 2;

/** A pulse where a heartbeat arrived and a welcome where a node joined. The style sheet animates each of them once. */
export class PulseLayer extends L.Layer {
  readonly #seen = new Map<string, string>();
  #unfollow: (() => void) | undefined;
  #pulses = 0;
  #welcomes = 0;

  constructor(
    private readonly store: MeshStore,
    /** Where a node is shown; undefined if it is filtered out. */
    private readonly find: (id: string) => LatLng | undefined,
  ) {
    super();
    L.setOptions(this, { pane: 'shadowPane' });
  }

  override onAdd(): this {
    this.#remember(this.store.rows());
    this.#unfollow = this.store.subscribe((change) => this.#update(change));
    return this;
  }

  override onRemove(): this {
    this.#unfollow?.();
    this.getPane()?.replaceChildren();
    return this;
  }

  override getEvents(): Record<string, L.LeafletEventHandlerFn> {
    const clear = () => {
      this.getPane()?.replaceChildren();
      this.#pulses = this.#welcomes = 0;
    };
    // Their positions are those of the old zoom, and they end in a moment anyway.
    return { zoomstart: clear, viewreset: clear };
  }

  #remember(peers: Iterable<Peer>): void {
    for (const { id, lastSeen } of peers) this.#seen.set(id, lastSeen);
  }

  #update({ all, rows }: Parameters<Listener<Peer>>[0]): void {
    // A new list as a whole doesn't tell which heartbeats are recent.
    if (all) return this.#remember(this.store.rows());
    for (const peer of rows) {
      const before = this.#seen.get(peer.id);
      if (before === peer.lastSeen) continue;
      this.#seen.set(peer.id, peer.lastSeen);
      if (before === undefined && this.#welcomes < WELCOMES)
        this.#show(peer, `${peer.label} joined`);
      else if (this.#pulses < PULSES) this.#show(peer);
    }
  }

  #show({ id, status }: Peer, welcome?: string): void {
    const position = this.find(id);
    if (!position || document.hidden) return;
    const pulse = document.createElement('div');
    pulse.className = `${styles.pulse} ${statusColor(status)}`;
    pulse.dataset['pulse'] = welcome ? 'welcome' : 'heartbeat';
    if (welcome) {
      const text = document.createElement('span');
      text.textContent = welcome;
      pulse.append(text);
      this.#welcomes++;
    } else this.#pulses++;
    // In the copy of the world at the centre of the view.
    const { lng } = this._map.getCenter();
    const world = Math.round((lng - position.lng) / 360) * 360;
    L.DomUtil.setPosition(
      pulse,
      this._map.latLngToLayerPoint([position.lat, position.lng + world]),
    );
    pulse.addEventListener('animationend', ({ target }) => {
      if (target !== pulse) return;
      pulse.remove();
      if (welcome) this.#welcomes = Math.max(0, this.#welcomes - 1);
      else this.#pulses = Math.max(0, this.#pulses - 1);
    });
    this.getPane()?.append(pulse);
  }
}
