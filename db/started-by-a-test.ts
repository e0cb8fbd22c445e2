import { openEmbedded } from '#db/client.ts';
const { url } = await openEmbedded(
  { dataDir: '/tmp/mesh-registry-data-Okqx6v' },
  { passing: true },
);
console.log(url);
setInterval(() => {}, 1000);
