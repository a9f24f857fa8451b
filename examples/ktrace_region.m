% SPDX-License-Identifier: BSD-3-Clause
% Regions for Octave: x = ktrace_region ("fit", @() a \ b) is x = a \ b, in a region of that name. Without ktrace it is just that.
%
%     addpath ("PREFIX/lib/ktrace")
function varargout = ktrace_region (name, f)
  ktrace_api (name);
  unwind_protect
    [varargout{1:nargout}] = f ();
  unwind_protect_cleanup
    ktrace_api ();
  end_unwind_protect
endfunction
