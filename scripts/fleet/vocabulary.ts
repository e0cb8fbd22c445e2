import type { Place } from './places.ts';
import { pick, shuffled, whole, type Random } from './random.ts';

const SPOTS = (
  'garage,attic,basement,closet rack,workshop,home lab,NAS,mini PC,old laptop,balcony,barn,' +
  'studio,campus lab,shed,loft,rooftop,cellar,bookshelf,spare room,kitchen Pi'
).split(',');

const PEOPLE = (
  'Anna,Mateo,Yuki,Fatima,Liam,Sofia,Noah,Chidi,Ines,Lars,Mei,Omar,Priya,Tomás,Zoë,Jonas,Aiko,' +
  'Emeka,Lucía,Marek,Nadia,Pavel,Rosa,Søren,Thandi,Victor,Wei,Ewa,Hugo,Ayşe,Dmitri,Elif,Kofi'
).split(',');

const GROUPS = (
  'Makerspace,Radio club,University lab,Public library,Community mesh,Hackerspace,School lab,' +
  'Repair café,Observatory,Co-op,Student union,Art collective'
).split(',');

/** What people call their machines at home, so that a map of the world is not all in English. */
const LOCAL: Record<string, string[]> = {
  AR: ['Nodo del taller', 'Azotea'],
  AT: ['Dachboden', 'Werkstatt'],
  BR: ['Nó da garagem', 'Laboratório caseiro'],
  CN: ['家庭服务器', '书房节点'],
  CZ: ['Sklep', 'Domácí server'],
  DE: ['Keller', 'Dachboden', 'Werkstatt'],
  EG: ['خادم المنزل'],
  ES: ['Azotea', 'Taller', 'Casa rural'],
  FI: ['Kellari', 'Mökki'],
  FR: ['Grenier', 'Cave', 'Petit serveur'],
  GR: ['Σπίτι', 'Υπόγειο'],
  IT: ['Soffitta', 'Cantina'],
  JP: ['自宅サーバー', '屋根裏', '研究室'],
  KR: ['우리집 서버', '연구실'],
  MX: ['Azotea', 'Nodo del patio'],
  NL: ['Zolder', 'Schuur'],
  PL: ['Piwnica', 'Strych'],
  PT: ['Sótão', 'Garagem'],
  RU: ['Домашний узел', 'Дача'],
  SE: ['Källare', 'Stuga'],
  TR: ['Ev sunucusu', 'Çatı katı'],
  UA: ['Домашній вузол', 'Гараж'],
};

/**
 * A label as an operator would choose one: letters, digits, space and - ' ( ) # & + , only, at most
 * 64 characters, and no dot, so that nothing in it looks like a hostname or an address.
 */
export function randomLabel(random: Random, { city, country }: Place): string {
  const local = LOCAL[country];
  if (local && random() < 0.4) return clip(`${pick(random, local)} (${city})`);
  const kind = random();
  if (kind < 0.35) return clip(`${city} ${pick(random, SPOTS)}`);
  if (kind < 0.6) return clip(`${pick(random, PEOPLE)}'s ${pick(random, SPOTS)}`);
  if (kind < 0.75) return clip(`${pick(random, GROUPS)} ${city}`);
  if (kind < 0.9) return clip(`${city} #${whole(random, 1, 12)}`);
  const [one, other] = shuffled(random, PEOPLE);
  return clip(`${one} & ${other}, ${city}`);
}

function clip(label: string): string {
  return [...label].slice(0, 64).join('').trim();
}

const FIRST = (
  'amber,ancient,arctic,autumn,azure,bold,brave,bright,calm,clever,copper,coral,crimson,crystal,' +
  'curious,dapper,dawn,deep,distant,dusty,eager,early,ember,emerald,fabled,fancy,fleet,frosty,' +
  'gentle,gilded,golden,granite,happy,hazel,hidden,humble,indigo,ivory,jade,jolly,keen,kind,late,' +
  'lively,lucky,lunar,mellow,merry,misty,mossy,nimble,noble,olive,opal,patient,placid,polar,proud,' +
  'quick,quiet,rapid,rustic,sandy,scarlet,silent,silver,snowy,solar,spry,steady,stellar,stormy,' +
  'sunny,swift,tidy,tiny,topaz,velvet,vivid,warm,wild,windy,winter,witty'
).split(',');

const SECOND = (
  'acorn,anchor,anvil,badger,bay,beacon,beaver,birch,bison,brook,cabin,canyon,cedar,cliff,comet,' +
  'condor,coyote,crane,creek,delta,dolphin,dune,eagle,elm,falcon,fern,finch,fjord,forge,fox,' +
  'gecko,geyser,glacier,grove,harbor,hare,harvest,hawk,heron,hill,ibex,island,jackal,juniper,' +
  'kestrel,kiln,lagoon,lake,lantern,lark,lemur,lichen,lynx,maple,marmot,marten,meadow,mesa,moose,' +
  'moth,oak,orchid,osprey,otter,owl,panda,pebble,pelican,pine,puffin,quarry,raven,reef,ridge,' +
  'river,robin,salmon,sequoia,spruce,sparrow,stork,summit,tern,thistle,tundra,valley,walrus,willow'
).split(',');

/**
 * Distinct public names such as `amber-otter`, valid by the contract (2 to 32 of `a-z 0-9 _ -`) and
 * never one word alone, so that none is reserved. A longer list with the same source of numbers
 * begins with the shorter one.
 */
export function computeNames(random: Random, count: number): string[] {
  const pairs = shuffled(
    random,
    FIRST.flatMap((first) => SECOND.map((second) => `${first}-${second}`)),
  );
  return Array.from({ length: count }, (_, i) => {
    const round = Math.floor(i / pairs.length);
    return round === 0 ? String(pairs[i]) : `${pairs[i % pairs.length]}-${round + 1}`;
  });
}

/** Plausible workloads: OCI references and plain labels, without a scheme, a user or an address. */
export const IMAGES = [
  'nginx:1.27-alpine',
  'redis:7.4-alpine',
  'postgres:17',
  'python:3.12-slim',
  'ollama/ollama:0.6.2',
  'vllm/vllm-openai:v0.8.4',
  'rayproject/ray:2.44.1-py312',
  'ghcr.io/ggml-org/llama.cpp:server',
  'ghcr.io/huggingface/text-embeddings-inference:cpu-1.6',
  'ghcr.io/immich-app/immich-machine-learning:v1.131.3',
  'quay.io/jupyter/scipy-notebook:2025-03-24',
  'registry.gitlab.com/mesh-works/transcode:2.3',
  'linuxserver/ffmpeg:7.1',
  'foldingathome/fah-gpu:24.4',
  'blender render worker',
  'whisper transcription',
  'protein folding',
  'map tile renderer',
];

export const BACKENDS = ['docker', 'docker', 'podman', 'containerd', 'k3s', 'nomad', 'wasmtime'];
