import L from 'leaflet';
import type { Peer } from '#server/mesh/mesh.schema.ts';
import type { Listener, MeshStore } from '#app/features/live/live-store.ts';
import type { LatLng } from './marks.ts';

/** Pulses at a time. A large network has hundreds of heartbeats a second: some of them are enough to show that it lives. */
const PULSES = 8;
/** Welcomes at a time; their words would cover each other. */
const WELCOMES = 2;

/** A pulse where a heartbeat just arrived, a welcome where a node joined: drawn by the style sheet, each once. */
export class PulseLayer extends L.Layer {
  readonly #seen = new Map<string, string>();
  #unfollow: (() => void) | undefined;
  #pulses = 0;
  #welcomes = 0;

  constructor(
    private readonly store: MeshStore,
    /** Where a peer is shown; undefined where it is not. */
    private readonly find: (id: string) => LatLng | undefined,
  ) {
    super();
    L.setOptions(this, { pane: 'shadowPane' });
  }

  override onAdd(): this {
    this.#remember(this.store.rows());
    this.#unfollow = this.store.subscribe((change) => this.#take(change));
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
    // They lie at points of the old zoom, and are over in a moment anyway.
    return { zoomstart: clear, viewreset: clear };
  }

  #remember(peers: Iterable<Peer>): void {
    for (const { id, lastSeen } of peers) this.#seen.set(id, lastSeen);
  }

  #take({ all, rows }: Parameters<Listener<Peer>>[0]): void {
    // After a whole new list nothing is news.
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
    const place = this.find(id);
    if (!place || document.hidden) return;
    const mark = document.createElement('div');
    mark.className = `pulse ${status}${welcome ? ' welcome' : ''}`;
    if (welcome) {
      const words = document.createElement('span');
      words.textContent = welcome;
      mark.append(words);
      this.#welcomes++;
    } else this.#pulses++;
    // In the world that is in the middle of the view.
    const { lng } = this._map.getCenter();
    const world = Math.round((lng - place.lng) / 360) * 360;
    L.DomUtil.setPosition(mark, this._map.latLngToLayerPoint([place.lat, place.lng + world]));
    mark.addEventListener('animationend', ({ target }) => {
      if (target !== mark) return;
      mark.remove();
      if (welcome) this.#welcomes = Math.max(0, this.#welcomes - 1);
      else this.#pulses = Math.max(0, this.#pulses - 1);
    });
    this.getPane()?.append(mark);
  }
}
