import globalData from '@csstools/postcss-global-data';
import { sep } from 'node:path';
import customMedia from 'postcss-custom-media';

/**
 * The order of the cascade, lowest first: what browsers bring, the components of app/ui, the features,
 * and what holds everywhere.
 */
const LAYERS = 'reset, ui, feature, utilities';

/**
 * Puts every CSS module into the layer of its room, so that a feature's style wins over a component's
 * whatever the order in which a page loads them. Every file names the order, as any may be the first.
 */
const layerByRoom = {
  postcssPlugin: 'layer-by-room',
  Once(root, { atRule }) {
    const file = root.source?.input.file?.split('?')[0] ?? '';
    const { source } = root;
    if (file.endsWith('.module.css')) {
      const params = file.includes(`${sep}ui${sep}`) ? 'ui' : 'feature';
      const layer = atRule({ name: 'layer', params, source });
      layer.append(root.nodes);
      root.append(layer);
    }
    root.prepend(atRule({ name: 'layer', params: LAYERS, source }));
  },
};

export default {
  plugins: [
    layerByRoom,
    // The breakpoints, which var() cannot name.
    globalData({ files: ['app/styles/tokens.css'] }),
    customMedia(),
  ],
};
