/** @type {import('stylelint').Config} */
export default {
  ignoreFiles: [
    // Moving to CSS modules.
    'app/styles/!(base|tokens).css',
  ],
  extends: ['stylelint-config-standard'],
  plugins: ['stylelint-declaration-strict-value'],
  rules: {
    // A component's own classes, as JavaScript reads them.
    'selector-class-pattern': [
      '^[a-z][a-zA-Z0-9]*$',
      { message: 'Name classes of CSS modules in camelCase.' },
    ],
    // Modules are read top down, not by specificity: layers decide between files.
    'no-descending-specificity': null,
    'selector-pseudo-class-no-unknown': [true, { ignorePseudoClasses: ['global', 'local'] }],
    'property-no-unknown': [true, { ignoreProperties: ['composes'] }],
    'at-rule-empty-line-before': null,
    'import-notation': 'string',
    'custom-property-pattern': null,
    // Positions are counted from a token's value, never from a child's number.
    'selector-pseudo-class-disallowed-list': ['nth-child', 'nth-of-type', 'nth-last-child'],
    'media-feature-range-notation': 'prefix',
    'scale-unlimited/declaration-strict-value': [
      ['/color$/', 'fill', 'stroke', 'border-radius', 'z-index', 'font-size', 'font-family', 'gap'],
      {
        ignoreValues: {
          '': [
            'inherit',
            'none',
            'transparent',
            'currentcolor',
            // What the system sets where it sets the colours.
            'canvastext',
            'highlight',
            'auto',
            '0',
            'unset',
            'initial',
            'normal',
          ],
        },
        disableFix: true,
        ignoreFunctions: true,
        expandShorthand: false,
        message: 'Take ${property} from a token of app/styles/tokens.css instead of "${value}".',
      },
    ],
    'media-query-no-invalid': null,
    // Breakpoints have names (tokens.css).
    'media-feature-name-disallowed-list': ['width', 'min-width', 'max-width'],
  },
  overrides: [
    {
      files: ['app/styles/**'],
      rules: {
        'scale-unlimited/declaration-strict-value': null,
        'media-feature-name-disallowed-list': null,
        'selector-class-pattern': '^[a-z][a-z0-9-]*$',
      },
    },
  ],
};
