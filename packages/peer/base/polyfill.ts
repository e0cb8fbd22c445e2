/**
 * libp2p 3 calls Promise.withResolvers, which Node 20 does not have: there it starts, and then resets every inbound
 * connection without a reason. So this comes before anything of libp2p.
 */

interface Resolvers<T> {
  promise: Promise<T>;
  resolve: (value: T | PromiseLike<T>) => void;
  reject: (reason?: unknown) => void;
}

const native = Promise as typeof Promise & { withResolvers?: <T>() => Resolvers<T> };

native.withResolvers ??= <T>(): Resolvers<T> => {
  const resolvers = {} as Resolvers<T>;
  resolvers.promise = new Promise<T>((resolve, reject) =>
    Object.assign(resolvers, { resolve, reject }),
  );
  return resolvers;
};
