import type { Names } from './geography.ts';

/** The few names that a view of the whole world has room for: the file with all of them is loaded further in. */
export const FAR_NAMES: Names = {
  countries: [
    ['Canada', -106, 58, 1],
    ['United States', -99, 39.5, 1],
    ['Greenland', -41, 73, 1],
    ['Brazil', -53, -10, 1],
    ['Argentina', -65, -35, 1],
    ['Mexico', -102, 23.5, 1.7],
    ['Algeria', 2.6, 28.2, 1],
    ['Chad', 18.6, 15.3, 1],
    ['Mali', -2, 17.3, 1],
    ['DR Congo', 23.6, -2.5, 1],
    ['Angola', 17.6, -12.3, 1.7],
    ['South Africa', 24.4, -29.6, 1],
    ['Saudi Arabia', 44.5, 23.8, 1],
    ['Russia', 97, 62, 1],
    ['Kazakhstan', 67, 48.4, 1],
    ['Mongolia', 103.5, 46.8, 1],
    ['China', 103, 35.5, 1],
    ['India', 79, 22.5, 1.7],
    ['Indonesia', 114, -1, 1.7],
    ['Australia', 134, -25, 1],
  ],
  waters: [
    ['Pacific Ocean', -140, 8, 0.5],
    ['Pacific Ocean', 164, 28, 1],
    ['Atlantic Ocean', -38, 30, 0.5],
    ['Atlantic Ocean', -16, -22, 1],
    ['Indian Ocean', 79, -17, 0.5],
    ['Southern Ocean', 60, -52, 1],
    ['Arctic Ocean', -5, 79, 1],
  ],
  cities: [],
};
