import type { Location } from './locations.ts';
import { between, chance, integer, pick, shuffled, type Random } from './random.ts';

const ROOMS = (
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

/** What people call their machines at home, so that the labels of a world map are not all English. */
const LOCAL: Record<string, string[]> = {
  AR: ['Nodo del taller', 'Azotea'],
  BR: ['Nó da garagem', 'Laboratório caseiro'],
  CN: ['家庭服务器', '书房节点'],
  DE: ['Keller', 'Dachboden', 'Werkstatt'],
  EG: ['خادم المنزل'],
  ES: ['Azotea', 'Taller', 'Casa rural'],
  FI: ['Kellari', 'Mökki'],
  FR: ['Grenier', 'Cave', 'Petit serveur'],
  GR: ['Σπίτι', 'Υπόγειο'],
  IT: ['Soffitta', 'Cantina'],
  JP: ['自宅サーバー', '屋根裏', '研究室'],
  KR: ['우리집 서버', '연구실'],
  PL: ['Piwnica', 'Strych'],
  TR: ['Ev sunucusu', 'Çatı katı'],
  UA: ['Домашній вузол', 'Гараж'],
};
const LOCAL_SHARE = 0.4;
const LABEL_MAX = 64;

/**
 * A label such as an operator would choose: at most 64 letters, digits, spaces and - ' ( ) # & + ,
 * without dots, so that nothing in it looks like a hostname or an address.
 */
export function randomLabel(random: Random, { city, country }: Location): string {
  const local = LOCAL[country];
  const useLocal = local !== undefined && chance(random, LOCAL_SHARE);
  const label = useLocal ? `${pick(random, local)} (${city})` : englishLabel(random, city);
  return [...label].slice(0, LABEL_MAX).join('').trim();
}

function englishLabel(random: Random, city: string): string {
  const kind = between(random, 0, 1);
  if (kind < 0.35) return `${city} ${pick(random, ROOMS)}`;
  if (kind < 0.6) return `${pick(random, PEOPLE)}'s ${pick(random, ROOMS)}`;
  if (kind < 0.75) return `${pick(random, GROUPS)} ${city}`;
  if (kind < 0.9) return `${city} #${integer(random, 1, 12)}`;
  const [one, other] = shuffled(random, PEOPLE);
  return `${one} & ${other}, ${city}`;
}

const ADJECTIVES = (
  'amber,arctic,autumn,azure,bold,brave,bright,calm,clever,copper,coral,crimson,crystal,dapper,' +
  'distant,dusty,early,ember,emerald,frosty,gentle,golden,granite,happy,hidden,humble,indigo,ivory,' +
  'jade,keen,lively,lucky,lunar,mellow,misty,mossy,nimble,noble,olive,patient,polar,quick,quiet,' +
  'rapid,rustic,sandy,scarlet,silent,silver,snowy,solar,steady,stormy,sunny,swift,tiny,velvet,vivid'
).split(',');

const NOUNS = (
  'acorn,anchor,anvil,badger,beacon,beaver,birch,bison,brook,cabin,canyon,cedar,cliff,comet,condor,' +
  'crane,delta,dolphin,dune,eagle,falcon,fern,finch,fjord,forge,fox,gecko,geyser,glacier,grove,' +
  'harbor,hawk,heron,ibex,island,juniper,kestrel,lagoon,lantern,lark,lemur,lynx,maple,marten,' +
  'meadow,orchid,osprey,otter,owl,pebble,pine,puffin,raven,reef,river,robin,spruce,summit,tundra'
).split(',');

/**
 * Distinct public names such as `amber-otter`, within the rules for names (2 to 32 of `a-z 0-9 _ -`).
 * Two words, so that none is reserved. With the same random numbers, a longer list begins with the
 * shorter one.
 */
export function computeNames(random: Random, count: number): string[] {
  const pairs = shuffled(
    random,
    ADJECTIVES.flatMap((adjective) => NOUNS.map((noun) => `${adjective}-${noun}`)),
  );
  return Array.from({ length: count }, (_, i) => {
    const round = Math.floor(i / pairs.length);
    return `${pairs[i % pairs.length]}${round === 0 ? '' : `-${round + 1}`}`;
  });
}

/** Plausible workloads: OCI references and plain labels. */
export const IMAGES = (
  'nginx:1.27-alpine,redis:7.4-alpine,postgres:17,python:3.12-slim,ollama/ollama:0.6.2,' +
  'vllm/vllm-openai:v0.8.4,rayproject/ray:2.44.1-py312,ghcr.io/ggml-org/llama.cpp:server,' +
  'ghcr.io/huggingface/text-embeddings-inference:cpu-1.6,linuxserver/ffmpeg:7.1,' +
  'ghcr.io/immich-app/immich-machine-learning:v1.131.3,quay.io/jupyter/scipy-notebook:2025-03-24,' +
  'registry.gitlab.com/mesh-works/transcode:2.3,foldingathome/fah-gpu:24.4,blender render worker,' +
  'whisper transcription,protein folding,map tile renderer'
).split(',');

/** Docker twice as often as the others. */
export const BACKENDS = ['docker', 'docker', 'podman', 'containerd', 'k3s', 'nomad', 'wasmtime'];
