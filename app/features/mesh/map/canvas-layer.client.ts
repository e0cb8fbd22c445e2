import * as L from './leaflet.client.ts';

/** Maps a point of the world (px at zoom 0) to a point of the canvas (CSS px). */
export interface View {
  scale: number;
  x: number;
  y: number;
  width: number;
  height: number;
  /** Canvas pixels per CSS px. */
  ratio: number;
  /** Where the one world that is drawn begins, px at zoom 0: beyond its ends is sea. */
  cut: number;
}

/** How far the canvas extends beyond the view on each side, as a share of it, so that a drag seldom redraws. */
const PADDING = 0.125;
/** More than two pixels per CSS px cost time and memory, and nobody sees them. */
const RATIO_MAX = 2;

/** A canvas with its bounds in layer points, and the centre and zoom it was drawn for. */
interface Drawing {
  canvas: HTMLCanvasElement;
  bounds: L.Bounds;
  center: L.LatLng;
  zoom: number;
}

/**
 * A canvas on the map that moves and scales with it, and is redrawn when the view leaves what was drawn. A second
 * canvas is drawn off screen and then replaces the first, so that dragging stays smooth however long that takes.
 * (Leaflet's own Canvas renderer keeps an object with bounds and events per marker, and draws all of them at once at
 * the end of a drag.)
 */
export abstract class CanvasLayer extends L.Layer {
  #shown: Drawing | undefined;
  /** What is being drawn, until it is shown. */
  #next: Drawing | undefined;
  /** The canvas that was shown before, for the next drawing. */
  #spare: HTMLCanvasElement | undefined;
  #drawing = new AbortController();
  #frame = 0;

  /** Draws the view, and stops where the signal says that nobody will see it. */
  protected abstract draw(
    canvas: HTMLCanvasElement,
    view: View,
    signal: AbortSignal,
  ): Promise<void>;

  constructor(
    pane: string,
    private readonly cut: () => number,
  ) {
    super();
    // Leaflet's Layer constructor takes no options.
    L.setOptions(this, { pane });
  }

  override onAdd(): this {
    this.redraw();
    return this;
  }

  override onRemove(): this {
    this.#cancel();
    this.#shown?.canvas.remove();
    return this;
  }

  override getEvents(): Record<string, L.LeafletEventHandlerFn> {
    const follow = () => {
      if (!this.#covers(this.#shown) && !this.#covers(this.#next)) this.redrawSoon();
    };
    return {
      viewreset: () => this.redrawSoon(),
      moveend: follow,
      move: () => {
        // While zooming, the drawing is scaled. It is redrawn at the end.
        if (this.#shown?.zoom === this._map.getZoom()) follow();
      },
      zoom: () => this.#scale(this._map.getCenter(), this._map.getZoom()),
      zoomanim: (event) => {
        const { center, zoom } = event as L.ZoomAnimEvent;
        this.#scale(center, zoom);
      },
    };
  }

  /** Redraws in the next frame, once for any number of calls until then. */
  redrawSoon(): void {
    if (!this._map) return;
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.redraw());
  }

  redraw(): void {
    this.#cancel();
    const map = this._map;
    const size = map?.getSize();
    if (!size || size.x === 0 || size.y === 0) return;
    const corner = map.containerPointToLayerPoint(size.multiplyBy(-PADDING)).round();
    const extent = size.multiplyBy(1 + 2 * PADDING).round();
    const zoom = map.getZoom();
    const canvas = this.#spare ?? document.createElement('canvas');
    const next = {
      canvas,
      bounds: L.bounds(corner, corner.add(extent)),
      center: map.getCenter(),
      zoom,
    };
    this.#next = next;
    const ratio = Math.min(window.devicePixelRatio || 1, RATIO_MAX);
    const [width, height] = [Math.round(extent.x * ratio), Math.round(extent.y * ratio)];
    if (canvas.width !== width || canvas.height !== height)
      Object.assign(canvas, { width, height });
    Object.assign(canvas.style, { width: `${extent.x}px`, height: `${extent.y}px` });
    const scale = map.getZoomScale(zoom, 0);
    const { x, y } = map.getPixelOrigin().add(corner);
    const { signal } = (this.#drawing = new AbortController());
    const view = { scale, x, y, width: extent.x, height: extent.y, ratio, cut: this.cut() };
    void this.draw(canvas, view, signal).then(() => {
      if (!signal.aborted) this.#show(next);
    });
  }

  #cancel(): void {
    cancelAnimationFrame(this.#frame);
    this.#drawing.abort();
    this.#next = undefined;
  }

  #show(drawing: Drawing): void {
    drawing.canvas.className = 'leaflet-zoom-animated';
    const before = this.#shown?.canvas;
    this.#shown = drawing;
    this.#next = undefined;
    this.#scale(this._map.getCenter(), this._map.getZoom());
    if (before) before.replaceWith(drawing.canvas);
    else this.getPane()?.append(drawing.canvas);
    this.#spare = before;
  }

  /** Positions and scales the shown canvas for this centre and zoom. */
  #scale(center: L.LatLng, zoom: number): void {
    if (!this.#shown) return;
    const { canvas, bounds, center: drawnCenter, zoom: drawnZoom } = this.#shown;
    const map = this._map;
    if (zoom === drawnZoom && zoom === map.getZoom()) {
      if (bounds.min) L.DomUtil.setTransform(canvas, bounds.min, 1);
      return;
    }
    const scale = map.getZoomScale(zoom, drawnZoom);
    const pane = map.getPane('mapPane');
    const panned = pane ? L.DomUtil.getPosition(pane) : L.point(0, 0);
    const origin = map
      .project(center, zoom)
      .subtract(map.getSize().divideBy(2))
      .add(panned)
      .round();
    const half = bounds.getSize().divideBy(2);
    const corner = map.project(drawnCenter, zoom).subtract(half.multiplyBy(scale)).subtract(origin);
    L.DomUtil.setTransform(canvas, corner, scale);
  }

  #covers(drawing: Drawing | undefined): boolean {
    if (drawing?.zoom !== this._map.getZoom()) return false;
    const view = L.bounds(
      this._map.containerPointToLayerPoint([0, 0]),
      this._map.containerPointToLayerPoint(this._map.getSize()),
    );
    return drawing.bounds.contains(view);
  }
}
