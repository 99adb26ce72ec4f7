export { SetupError } from '#setup-error';
