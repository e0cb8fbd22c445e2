/** Something with a place on the screen, CSS px. */
interface Disc {
  x: number;
  y: number;
  radius: number;
}

/** Room between two of them, CSS px. */
const GAP = 1;

/**
 * Near its edge the globe is seen at an angle, where markers that are apart on it would cover each other.
 * @param merge what stands for both
 * @returns the same without any that overlap
 */
export function apartOnScreen<One extends Disc>(all: One[], merge: (a: One, b: One) => One): One[] {
  const left: One[] = [];
  for (let one of all)
    for (;;) {
      const { x, y, radius } = one;
      const near = left.findIndex(
        (other) => Math.hypot(other.x - x, other.y - y) < other.radius + radius + GAP,
      );
      if (near === -1) {
        left.push(one);
        break;
      }
      const [other] = left.splice(near, 1);
      // It is larger now, and may reach others.
      one = merge(other as One, one);
    }
  return left;
}
