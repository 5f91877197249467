C     Car axis, with a constraint that depends on time (Test Set for IVP
C     Solvers, Mazzia & Magherini 2008, CWI/Bari).  The reference is
C     ours, by quadruple precision extrapolation; the published values
C     agree with it to 3E-13 (p) and 5E-12 (v).  lambda has the sign of
C     GEOMS, opposite to that of the Test Set.
C
C     X = [ lambda1 lambda2 | v1-v4 | p1-p4 ], p = (xl,yl,xr,yr)
C     RPAR: k = M*eps**2/2, L, L0, r, omega, gravity
C
      PROGRAM CARAX
      IMPLICIT NONE
      INTEGER          N,M
      PARAMETER        (N=10,M=14)
      DOUBLE PRECISION XEX(N),XROUGH(N)
      INTEGER          IOPT(40),IWORK(20),IPAR(4),IERR,IDID,IJAC,
     #                 NGOOD,NBAD,I,K
      DOUBLE PRECISION X(N),T,TEND,H,TOL,ROPT(40),RWORK(5*N),RPAR(8),
     #                 RDA(M),DEVMAX,SIZMAX
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,DEVMAX,SIZMAX
C
      DATA XEX /4.736886590853326515D-03,1.104680331259565840D-03,
     # -7.705836840359208428D-02, 7.446866592068416491D-03,
     #  1.755681575354173663D-02, 7.703410437796010631D-01,
     #  4.934557842752409213D-02, 4.969894602300081068D-01,
     #  1.041742524885426115D+00, 3.739110272653658194D-01/
C     Rough: the library has to find lambda=(0,0), v1=v3=-1/2, p1=0,
C     p3=1 from the four conditions of IVCOND.
      DATA XROUGH /0.01D0,0.02D0, -0.4D0,0.D0,-0.6D0,0.D0,
     #             0.05D0,0.5D0,0.95D0,0.5D0/
      NGOOD=0
      NBAD=0
      RPAR(1)=10.D0*1.D-4/2.D0
      RPAR(2)=1.D0
      RPAR(3)=0.5D0
      RPAR(4)=0.1D0
      RPAR(5)=10.D0
      RPAR(6)=1.D0
      DO 50 K=1,5
        DO 10 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   10   CONTINUE
        IOPT(15)=4
        IJAC=1
        IF (K.EQ.2) IJAC=0
        IF (K.EQ.3) IOPT(5)=1
        TOL=1.D-10
        IF (K.GE.4) TOL=1.D-7
        IF (K.EQ.4) IOPT(11)=2
        IF (K.EQ.5) IOPT(11)=3
        DO 20 I=1,N
          X(I)=XROUGH(I)
   20   CONTINUE
        IF (K.EQ.1) CALL JACCHK(4,4,0,0,0,2,0,0,0.D0,X,IOPT,ROPT,
     #    EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
        IF (K.EQ.1) CALL JACCHK(4,4,0,0,0,2,0,0,3.D0,XEX,IOPT,ROPT,
     #    EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
C       With FORM=1 lambda stays as it is given.
        IF (K.EQ.3) X(1)=0.D0
        IF (K.EQ.3) X(2)=0.D0
        TEND=3.D0
        T=0.D0
        H=1.D-4
        IERR=0
        IDID=0
        CALL GEOMS(
     #    4,4,0,0,0,2,0,0,14-2*IOPT(5),N,4,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,IJAC,
     #    SOLOUT,0,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        CALL SHOWRN('Car axis',IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
        WRITE(6,100) (X(I),I=1,N)
        CALL VERIFY('position',DEVMAX(4,X(7),XEX(7)),1.D2*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('velocity',DEVMAX(4,X(3),XEX(3)),1.D3*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('multipliers',DEVMAX(2,X,XEX),
     #              (1.D2+1.D5*IOPT(5))*TOL,NGOOD,NBAD)
        CALL EOM(14-2*IOPT(5),N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
        CALL VERIFY('residuals of gI, g',SIZMAX(4,RDA(3-2*IOPT(5))),
     #              TOL,NGOOD,NBAD)
   50 CONTINUE
      CALL FINISH(NGOOD,NBAD)
  100 FORMAT('   lambda ',2F15.12/'   v      ',4F15.11/
     #       '   p      ',4F15.11)
      END
C
C     Road under the right wheel and its time derivatives
      SUBROUTINE ROAD(T,RPAR,XB,YB)
      IMPLICIT NONE
      DOUBLE PRECISION T,RPAR(*),XB(3),YB(3),W
      W=RPAR(5)
      YB(1)=RPAR(4)*SIN(W*T)
      YB(2)=RPAR(4)*W*COS(W*T)
      YB(3)=-W*W*YB(1)
      XB(1)=SQRT(RPAR(2)**2-YB(1)**2)
      XB(2)=-YB(1)*YB(2)/XB(1)
      XB(3)=-(YB(2)**2+YB(1)*YB(3)+XB(2)**2)/XB(1)
      RETURN
      END
C
C     G and f-G**T*lambda
      SUBROUTINE FORCE(X,RPAR,XB,YB,G,F)
      IMPLICIT NONE
      DOUBLE PRECISION X(10),RPAR(*),XB(3),YB(3),G(2,4),F(4),DX,DY,E
      INTEGER          I
      DX=X(7)-X(9)
      DY=X(8)-X(10)
      G(1,1)=XB(1)
      G(1,2)=YB(1)
      G(1,3)=0.D0
      G(1,4)=0.D0
      G(2,1)=2.D0*DX
      G(2,2)=2.D0*DY
      G(2,3)=-2.D0*DX
      G(2,4)=-2.D0*DY
      E=RPAR(3)/SQRT(X(7)**2+X(8)**2)-1.D0
      F(1)=E*X(7)
      F(2)=E*X(8)-RPAR(1)*RPAR(6)
      E=RPAR(3)/SQRT((X(9)-XB(1))**2+(X(10)-YB(1))**2)-1.D0
      F(3)=E*(X(9)-XB(1))
      F(4)=E*(X(10)-YB(1))-RPAR(1)*RPAR(6)
      DO 10 I=1,4
        F(I)=F(I)-G(1,I)*X(1)-G(2,I)*X(2)
   10 CONTINUE
      RETURN
      END
C
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      DOUBLE PRECISION XB(3),YB(3),G(2,4),F(4)
      INTEGER          I,J,L
      CALL ROAD(T,RPAR,XB,YB)
      CALL FORCE(X,RPAR,XB,YB,G,F)
      L=2
      IF (IOPT(5).EQ.1) L=0
C     gI | g
      RDA(L+1)=X(7)*XB(2)+X(8)*YB(2)
      RDA(L+2)=0.D0
      RDA(L+3)=X(7)*XB(1)+X(8)*YB(1)
      RDA(L+4)=(X(7)-X(9))**2+(X(8)-X(10))**2-RPAR(2)**2
      DO 20 I=1,4
        DO 10 J=1,2
          RDA(L+J)=RDA(L+J)+G(J,I)*X(2+I)
   10   CONTINUE
C       f_dyn | f_kin
        RDA(L+4+I)=F(I)
        RDA(L+8+I)=X(2+I)
   20 CONTINUE
      IF (L.EQ.0) RETURN
C     gII
      RDA(1)=2.D0*(X(3)*XB(2)+X(4)*YB(2))+X(7)*XB(3)+X(8)*YB(3)
      RDA(2)=2.D0*((X(3)-X(5))**2+(X(4)-X(6))**2)
      DO 40 I=1,4
        DO 30 J=1,2
          RDA(J)=RDA(J)+G(J,I)*F(I)/RPAR(1)
   30   CONTINUE
   40 CONTINUE
      RETURN
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      INTEGER          I
      CALL CLEAR(M*N,MA)
      DO 10 I=1,4
        MA(I,I)=RPAR(1)
   10 CONTINUE
      RETURN
      END
C
C     NEGATIVE partial derivatives.
      SUBROUTINE JAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #               T,X,FX1,FX2,FX3,FX4,FX5,FX6,
     #               IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #                 IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(M1,N),FX2(M2,N3+N4),FX3(M3,N4),
     #                 FX4(M4,N),FX5(M5,N),FX6(M6,N3+N4),
     #                 ROPT(*),RPAR(*)
      DOUBLE PRECISION XB(3),YB(3),G(2,4),F(4),D(2),A,B,DV
      INTEGER          I,J,K,L
      CALL ROAD(T,RPAR,XB,YB)
      CALL FORCE(X,RPAR,XB,YB,G,F)
      CALL CLEAR(M1*N,FX1)
      CALL CLEAR(M2*(N3+N4),FX2)
      CALL CLEAR(M3*N4,FX3)
      CALL CLEAR(M4*N,FX4)
      CALL CLEAR(M5*N,FX5)
      CALL CLEAR(M6*(N3+N4),FX6)
      DO 20 I=1,4
        DO 10 J=1,2
          FX2(J,I)=-G(J,I)
          FX3(J,I)=-G(J,I)
          FX5(I,J)=G(J,I)
   10   CONTINUE
        FX6(I,I)=-1.D0
   20 CONTINUE
      FX2(1,5)=-XB(2)
      FX2(1,6)=-YB(2)
C     The springs of both sides (K=0,2) and the rod
      DO 50 K=0,2,2
        D(1)=X(7+K)
        D(2)=X(8+K)
        IF (K.EQ.2) D(1)=D(1)-XB(1)
        IF (K.EQ.2) D(2)=D(2)-YB(1)
        A=SQRT(D(1)**2+D(2)**2)
        B=RPAR(3)/A**3
        A=RPAR(3)/A-1.D0
        DO 40 I=1,2
          DO 30 J=1,2
            FX5(K+I,6+K+J)=B*D(I)*D(J)
   30     CONTINUE
          FX5(K+I,6+K+I)=FX5(K+I,6+K+I)-A+2.D0*X(2)
          FX5(K+I,8-K+I)=FX5(K+I,8-K+I)-2.D0*X(2)
   40   CONTINUE
   50 CONTINUE
      DO 60 I=1,2
        DV=2.D0*(X(2+I)-X(4+I))
        FX2(2,4+I)=-DV
        FX2(2,6+I)=DV
   60 CONTINUE
      IF (M1.EQ.0) RETURN
C     Through the accelerations, then with these fixed
      DO 90 J=1,2
        DO 80 L=1,N
          DO 70 I=1,4
            FX1(J,L)=FX1(J,L)+G(J,I)*FX5(I,L)/RPAR(1)
   70     CONTINUE
   80   CONTINUE
   90 CONTINUE
      FX1(1,3)=FX1(1,3)-2.D0*XB(2)
      FX1(1,4)=FX1(1,4)-2.D0*YB(2)
      FX1(1,7)=FX1(1,7)-XB(3)
      FX1(1,8)=FX1(1,8)-YB(3)
C     dG/dp*a: the road does not move with p
      DO 100 I=1,2
        DV=4.D0*(X(2+I)-X(4+I))
        A=2.D0*(F(I)-F(2+I))/RPAR(1)
        FX1(2,2+I)=FX1(2,2+I)-DV
        FX1(2,4+I)=FX1(2,4+I)+DV
        FX1(2,6+I)=FX1(2,6+I)-A
        FX1(2,8+I)=FX1(2,8+I)+A
  100 CONTINUE
      RETURN
      END
C
      SUBROUTINE CLEAR(LENGTH,A)
      IMPLICIT NONE
      INTEGER          LENGTH,I
      DOUBLE PRECISION A(*)
      DO 10 I=1,LENGTH
        A(I)=0.D0
   10 CONTINUE
      RETURN
      END
C
C     Not called (IOUT=0).
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,
     #                  C2M1,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,H,X(N),CONTX(NN4),RPAR(*),C1M1,C2M1
      RETURN
      END
C
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(NCOND),RPAR(*)
      COND(1)=X(8)-0.5D0
      COND(2)=X(10)-0.5D0
      COND(3)=X(4)
      COND(4)=X(6)
      RETURN
      END
C
C     ---- Checks; the same in every driver, no part of the model. ----
C
C     JACCHK: JAC against central differences of EOM at (T,X); the
C     largest deviation of each block, relative to the row.  All entries
C     of JAC are filled with rubbish before, so that one which is never
C     set is found as well.
      SUBROUTINE JACCHK(NP,NV,NR,NW,NS,NL,NM,NI,T,X,IOPT,ROPT,
     #                  EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          MAXM,MAXN
      PARAMETER        (MAXM=200,MAXN=120)
      INTEGER          NP,NV,NR,NW,NS,NL,NM,NI,IOPT(*),IPAR(*),
     #                 NGOOD,NBAD
      DOUBLE PRECISION T,X(*),ROPT(*),RPAR(*)
      EXTERNAL         EOM,JAC
      INTEGER          MB(6),NB(6),KB(7),N1,N2,N3,N4,M,N,I,J,K,L,IERR
      DOUBLE PRECISION FX(MAXM*MAXN),XD(MAXN),RP(MAXM),RM(MAXM),D,
     #                 ENTRY,DEV(6),RDEV(MAXM),RSIZE(MAXM)
      SAVE             FX
      LOGICAL          GOOD
      CHARACTER*4      WORD
      N1=NW+NL+NM
      N2=NR
      N3=NV
      N4=NS+NP
      N=N1+N2+N3+N4
      MB(1)=NW
      IF (IOPT(5).EQ.0) MB(1)=N1
      MB(2)=NL+NM+NI
      MB(3)=NS+NL
      MB(4)=NR
      MB(5)=NV
      MB(6)=NP
      NB(1)=N
      NB(2)=N3+N4
      NB(3)=N4
      NB(4)=N
      NB(5)=N
      NB(6)=N3+N4
      KB(1)=1
      M=0
      DO 10 K=1,6
        KB(K+1)=KB(K)+MB(K)*NB(K)
        M=M+MB(K)
        DEV(K)=0.D0
   10 CONTINUE
      DO 15 I=1,M
        RDEV(I)=0.D0
        RSIZE(I)=1.D0
   15 CONTINUE
      DO 20 I=1,MAXM*MAXN
        FX(I)=7.77D7
   20 CONTINUE
      IERR=0
      CALL JAC(MB(1),MB(2),MB(3),MB(4),MB(5),MB(6),N1,N2,N3,N4,M,N,
     #         T,X,FX(KB(1)),FX(KB(2)),FX(KB(3)),FX(KB(4)),
     #         FX(KB(5)),FX(KB(6)),IOPT,ROPT,RPAR,IPAR,IERR)
      DO 30 I=1,N
        XD(I)=X(I)
   30 CONTINUE
      DO 70 J=1,N
        D=6.D-6*(0.1D0+ABS(X(J)))
        XD(J)=X(J)+D
        CALL EOM(M,N,T,XD,RP,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)-D
        CALL EOM(M,N,T,XD,RM,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)
        L=0
        DO 60 K=1,6
          DO 50 I=1,MB(K)
            L=L+1
            ENTRY=0.D0
            IF (J.GT.N-NB(K)) ENTRY=
     #        FX(KB(K)+(J-N+NB(K)-1)*MB(K)+I-1)
            RSIZE(L)=MAX(RSIZE(L),ABS(ENTRY))
            RDEV(L)=MAX(RDEV(L),ABS(ENTRY+(RP(L)-RM(L))/(2.D0*D)))
   50     CONTINUE
   60   CONTINUE
   70 CONTINUE
      GOOD=.TRUE.
      L=0
      DO 80 K=1,6
        DO 75 I=1,MB(K)
          L=L+1
          DEV(K)=MAX(DEV(K),RDEV(L)/RSIZE(L))
   75   CONTINUE
        GOOD=GOOD.AND.DEV(K).LE.1.D-6
   80 CONTINUE
      WORD='FAIL'
      IF (GOOD) WORD='OK'
      IF (GOOD) NGOOD=NGOOD+1
      IF (.NOT.GOOD) NBAD=NBAD+1
      WRITE(6,100) T,WORD,(DEV(K),K=1,6)
      RETURN
  100 FORMAT(' JAC against differences, T=',F6.3,' : ',A4,' (',
     #       6(E7.1,1X),', allowed 0.1E-05)')
      END
C
C     VERIFY: a number that must not exceed a bound.
      SUBROUTINE VERIFY(TEXT,VALUE,BOUND,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          NGOOD,NBAD
      DOUBLE PRECISION VALUE,BOUND
      CHARACTER*4      WORD
      WORD='FAIL'
      IF (VALUE.LE.BOUND) WORD='OK'
      IF (WORD.EQ.'OK') NGOOD=NGOOD+1
      IF (WORD.NE.'OK') NBAD=NBAD+1
      WRITE(6,100) TEXT,WORD,VALUE,BOUND
      RETURN
  100 FORMAT('   ',A,' : ',A4,' (',E8.1,', allowed',E8.1,')')
      END
C
C     DEVMAX: largest deviation, relative where the value exceeds 1.
      DOUBLE PRECISION FUNCTION DEVMAX(N,X,Y)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*),Y(*)
      DEVMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) DEVMAX=1.D300
        DEVMAX=MAX(DEVMAX,ABS(X(I)-Y(I))/MAX(1.D0,ABS(Y(I))))
   10 CONTINUE
      RETURN
      END
C
C     SIZMAX: largest absolute value, for residuals.
      DOUBLE PRECISION FUNCTION SIZMAX(N,X)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*)
      SIZMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) SIZMAX=1.D300
        SIZMAX=MAX(SIZMAX,ABS(X(I)))
   10 CONTINUE
      RETURN
      END
C
C     SHOWRN: how a run was asked for, how it ended, and its counters.
      SUBROUTINE SHOWRN(TEXT,IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          IOPT(40),IJAC,IDID,IWORK(20),NGOOD,NBAD
      DOUBLE PRECISION TOL,T
      CHARACTER*4      WORD
      WRITE(6,100) TEXT,IOPT(5),IJAC,IOPT(11),TOL
      WORD='FAIL'
      IF (IDID.EQ.0) WORD='OK'
      IF (IDID.EQ.0) NGOOD=NGOOD+1
      IF (IDID.NE.0) NBAD=NBAD+1
      WRITE(6,110) IDID,T,WORD
      WRITE(6,120) IWORK(1),IWORK(10),IWORK(11),IWORK(2),IWORK(4),
     #             IWORK(7)
      RETURN
  100 FORMAT(/1X,A,', FORM=',I1,' IJAC=',I1,' DECOMPC=',I1,
     #       ' TOL=',E8.1)
  110 FORMAT('   finished with IDID=',I6,' at T=',F12.6,' : ',A4)
  120 FORMAT('   NACCPT=',I5,' NERJCT=',I4,' NCRJCT=',I4,' NEOM=',I6,
     #       ' NJAC=',I5,' NEDEC=',I5)
      END
C
C     FINISH: the last line; a failure also shows in the exit status.
      SUBROUTINE FINISH(NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          NGOOD,NBAD
      WRITE(6,100) NGOOD,NBAD
      IF (NBAD.GT.0) STOP 1
      RETURN
  100 FORMAT(/1X,I3,' checks OK, ',I3,' not')
      END
