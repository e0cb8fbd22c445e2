export default function Index() {
  return <main>map</main>;
}
