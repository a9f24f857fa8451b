% SPDX-License-Identifier: BSD-3-Clause
% Octave's linear algebra in four types: one line each with a digest of all result bytes.
% Two runs on one machine with one thread print the same text; whatever changes a single bit of a result shows.
%
%     ktrace run -- octave-cli --norc --no-history examples/octave_linalg.m
1;

function show (name, varargin)
  bytes = uint8 ([]);
  for i = 1:numel (varargin)
    x = full (varargin{i});
    if isnumeric (x)
      bytes = [bytes, typecast(real (x(:))', "uint8"), typecast(imag (x(:))', "uint8")];
    endif
  endfor
  printf ("%-12s %-14s %s\n", class (varargin{1}), name, hash ("md5", char (bytes)));
endfunction

% Calls FUNCTION with as many results as it has to show; what goes wrong is part of the behaviour.
function try_show (name, results, f)
  out = cell (1, results);
  try
    [out{:}] = f ();
    show (name, out{:});
  catch problem
    printf ("%-27s %s\n", name, problem.message);
  end_try_catch
endfunction

function dense (a, b, tall)
  n = rows (a);
  spd = a * a' + n * eye (n);
  try_show ("mtimes", 1, @() a * b);
  try_show ("transposed", 1, @() a' * b + a.' * b);
  try_show ("symmetric", 1, @() tall' * tall);
  try_show ("vector", 1, @() a * b(:,1));
  try_show ("dot", 1, @() dot (a, spd));
  try_show ("mldivide", 1, @() a \ b);
  try_show ("definite", 1, @() spd \ b);
  try_show ("triangular", 1, @() triu (spd) \ b);
  try_show ("least squares", 1, @() tall \ ones (rows (tall), 2));
  try_show ("mrdivide", 1, @() b' / a);
  try_show ("inv", 2, @() inv (a));
  try_show ("pinv", 1, @() pinv (tall));
  try_show ("det", 1, @() det (a));
  try_show ("rcond", 1, @() rcond (a));
  try_show ("lu", 3, @() lu (a));
  try_show ("chol", 2, @() chol (spd));
  try_show ("chol2inv", 1, @() chol2inv (chol (spd)));
  try_show ("cholupdate", 1, @() cholupdate (chol (spd), b(:,1)));
  try_show ("qr", 3, @() qr (tall));
  try_show ("qrupdate", 2, @() qrupdate (eye (n), a, b(:,1), b(:,2)));
  try_show ("eig", 2, @() eig (a));
  try_show ("eig, left", 3, @() eig (a));
  try_show ("eig, symmetric", 2, @() eig (spd));
  try_show ("eig, two", 2, @() eig (a, spd));
  try_show ("svd", 3, @() svd (tall));
  try_show ("schur", 2, @() schur (a));
  try_show ("ordschur", 2, @() ordschur (eye (n), schur (a), 1:n > n / 2));
  try_show ("hess", 2, @() hess (a));
  try_show ("balance", 2, @() balance (a));
  try_show ("qz", 4, @() qz (a, spd));
  try_show ("gsvd", 1, @() gsvd (a, spd));
  try_show ("sylvester", 1, @() sylvester (a, spd, a));
  try_show ("expm", 1, @() expm (a / n));
  try_show ("logm", 1, @() logm (spd));
  try_show ("sqrtm", 1, @() sqrtm (a));
  try_show ("null", 1, @() null (a(1:5,:)));
  try_show ("rank", 1, @() rank (tall));
  try_show ("cond", 1, @() cond (a));
  try_show ("norm", 1, @() [norm(a), norm(a, 1), norm(a, "fro"), norm(b(:,1))]);
  try_show ("kron", 1, @() kron (a(1:4,1:4), b(1:4,:)));
  try_show ("not definite", 1, @() chol (-spd));
  try_show ("mismatch", 1, @() a * tall);
endfunction

function sparse_ones (a)
  n = rows (a);
  s = spdiags ([a(:,1), a(:,2) + 8, a(:,3)], [-1, 0, 1], n, n);
  try_show ("sparse solve", 1, @() s \ a);
  try_show ("sparse lu", 4, @() lu (s));
  try_show ("sparse chol", 1, @() chol (s * s' + speye (n)));
  try_show ("sparse qr", 1, @() qr (s));
  try_show ("eigs", 1, @() eigs (s * s', 4, "lm", struct ("v0", ones (n, 1))));
  try_show ("banded", 1, @() (s + speye (n)) \ a(:,1));
  try_show ("quadgk", 1, @() quadgk (@(x) exp (-x .^ 2), 0, 1));
  try_show ("ode45", 2, @() ode45 (@(t, y) [y(2); -y(1)], [0, 1], [1; 0]));
  try_show ("lsode", 1, @() lsode (@(y, t) [y(2); 100 * (1 - y(1) ^ 2) * y(2) - y(1)], [2; 0], 0:5));
  try_show ("polyfit", 1, @() polyfit (1:n, a(:,1)', 3));
  h = a(1:5,1:5);
  try_show ("qp", 1, @() qp (zeros (5, 1), h * h' + eye (5), ones (5, 1), [], [], -ones (5, 1), ones (5, 1)));
endfunction

% Pseudo-random numbers that are the same in every version.
function x = numbers (m, n, seed)
  x = reshape (mod ((1:m * n) .^ 2 * 7919 + seed * 104729, 1009) / 504.5 - 1, m, n);
endfunction

a = numbers (40, 40, 1) + diag (1:40) / 10;
b = numbers (40, 4, 2);
tall = numbers (80, 40, 3) + [eye(40); eye(40)];
warning ("off", "all");
dense (a, b, tall);
dense (single (a), single (b), single (tall));
dense (a + i * a', b - i * b, tall + i * flipud (tall));
dense (single (a + i * a'), single (b - i * b), single (tall + i * flipud (tall)));
sparse_ones (a);
